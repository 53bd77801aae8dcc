"""Table of every address with the answer to each kind of asker, which test_routes.py compares with the code."""

# What an asker is answered: ok (anything below 400), in (led to sign-in), 2fa (led to its set-up), page (led to the
# page that has the form, core.posts), or the status.
# A second factor is required and everybody on the staff has one, except the factorless. What is asked for belongs to
# the participant (the visit) or to the owner (all else). The reader is a token of the owner's that may only read.
ANSWERS = """
              anonymous  participant  neighbour  owner  other  factorless  admin  reader
public        ok         ok           ok         ok     ok     ok          ok     ok
nobody        404        404          404        404    404    404         404    404
bad-link      404        404          404        404    404    404         404    404
no-method     405        405          405        405    405    405         405    405
signed-in     in         in           in         ok     ok     ok          ok     in
signed-in-405 in         in           in         405    405    405         405    in
factor-owner  in         in           in         ok     ok     404         ok     in
staff         in         in           in         ok     ok     2fa         ok     in
staff-400     in         in           in         400    400    2fa         400    in
staff-404     in         in           in         404    404    2fa         404    in
staff-405     in         in           in         405    405    2fa         405    in
staff-page    in         in           in         page   page   2fa         page   in
owned         in         in           in         ok     404    2fa         ok     in
owned-404     in         in           in         404    404    2fa         404    in
owned-400     in         in           in         400    404    2fa         400    in
own-token     in         in           in         ok     404    2fa         404    in
admin         in         in           in         403    403    2fa         ok     in
admin-400     in         in           in         403    403    2fa         400    in
admin-404     in         in           in         403    403    2fa         404    in
admin-405     in         in           in         403    403    2fa         405    in
admin-page    in         in           in         403    403    2fa         page   in
visit-page    page       page         page       page   page   page        page   page
visit         401        ok           401        401    401    401         401    401
visit-400     401        400          401        401    401    401         401    401
visit-409     401        409          401        401    401    401         401    401
api           401        401          401        ok     ok     403         ok     ok
api-owned     401        401          401        ok     404    403         ok     ok
api-read-405  401        401          401        405    405    403         405    405
api-400       401        401          401        400    400    403         400    403
api-405       401        401          401        405    405    403         405    403
api-read-409  401        401          401        409    404    403         409    409
api-owned-422 401        401          401        422    404    403         422    403
owned-422     in         in           in         422    404    2fa         422    in
owned-409     in         in           in         409    404    2fa         409    in
api-owned-400 401        401          401        400    404    403         400    403
api-owned-409 401        401          401        409    404    403         409    403
api-owner     401        401          401        ok     404    403         ok     403
api-owned-404 401        401          401        404    404    403         404    403
api-412       401        401          401        412    412    403         412    403
"""

# One line a route: its name, the answers to GET, the answers to an empty POST.
ROUTES = """
core:home                             public         no-method
core:healthz                          public         no-method
core:readyz                           public         no-method
core:script_texts                     public         no-method
core:help                             staff          staff-405
core:help_api                         staff          staff-405
core:help_page                        staff          staff-405
core:account                          staff          staff-400
core:revoke_token                     staff-page     own-token
core:service                          admin          admin-405
core:jobs                             admin          admin-405
core:retry_jobs                       admin-page     admin-400
core:cancel_jobs                      admin-page     admin-400
core:backups                          admin          admin-405
core:make_copy                        admin-page     admin
core:try_restore                      admin-page     admin
core:download_copy                    admin-page     admin-404
core:audit                            admin          admin-405
core:people                           admin          admin-405
core:change_role                      admin-page     admin-400
core:change_email                     admin-page     admin
core:remove_second_factor             admin-page     admin-400
core:invite                           admin-page     admin-400
core:new_password_link                admin          admin-405
core:make_password_link               admin-page     admin
core:deactivate                       admin-page     admin
core:reactivate                       admin-page     admin
core:set_password                     bad-link       bad-link
stimuli:storage                       admin          admin-405
stimuli:set_quota                     admin-page     admin
stimuli:collections                   staff          staff-405
stimuli:collection                    owned          staff-405
stimuli:settings                      owned          owned
stimuli:item                          staff-page     owned-400
stimuli:clips                         owned          staff-405
stimuli:compare                       owned          staff-405
stimuli:normalise                    owned          owned
stimuli:copy                          owned          owned
stimuli:sound                         owned          staff-405
stimuli:clip                          owned          staff-405
stimuli:replace_stimulus              owned          staff-405
stimuli:manifest                      owned          staff-405
stimuli:peaks                         owned          staff-405
stimuli:peaks_file                    owned          staff-405
stimuli:tile                          owned          staff-405
stimuli:slice                         owned          staff-405
stimuli:clock                         owned          owned-400
stimuli:new_collection                staff          staff
stimuli:new_import                    owned          staff-405
stimuli:import                        owned          staff-405
stimuli:confirm_import                staff-page     owned
stimuli:correct_import                staff-page     owned-422
stimuli:cancel_import                 staff-page     owned
rating:experiments                    staff          staff-405
rating:new_experiment                 staff          staff
rating:preview_text                   staff-405      staff-400
rating:experiment                     owned          staff-405
rating:settings                       owned          owned
rating:options                        owned          owned
rating:labels                         owned          owned
rating:copy_labels                    staff-page     owned
rating:own_labels                     owned-404      owned-404
rating:approve_labels                 staff-page     owned
rating:delete_labels                  staff-page     owned
rating:state                          staff-page     owned
rating:confirm_live                   owned          staff-405
rating:share                          staff-page     owned
rating:unshare                        staff-page     owned
rating:transfer                       staff-page     owned
rating:archive                        staff-page     owned
rating:delete                         owned          owned
rating:restore                        staff-page     owned-404
rating:unblind                        owned          owned-400
listening:join                        public         public
listening:visit                       visit          no-method
listening:receipt                     visit          no-method
listening:questionnaire               visit          visit
listening:consent_copy                visit          no-method
listening:withdraw                    visit-page     visit-409
listening:questions                   owned          owned
listening:new_question                owned          owned
listening:question                    owned-404      owned-404
listening:move_question               staff-page     owned
listening:remove_question             staff-page     owned
listening:trial_preview               staff          staff-405
listening:preview_sound               staff          staff-405
listening:from_file                   staff          staff-400
listening:from_elsewhere              staff          staff-400
listening:experiment_file             owned          staff-405
listening:first_seats                 staff-page     owned
listening:people                      owned          staff-405
listening:copy                        staff-page     owned
listening:simulations                 owned          owned-400
listening:remove_simulation           staff-page     owned-409
listening:remove_seats                owned          owned
listening:add_panel                   staff-page     owned-400
listening:add_invitations             staff-page     owned-400
listening:completion_codes            owned          staff-405
listening:new_links                   owned          staff-405
listening:links                       owned          staff-405
listening:mail                        owned          owned-400
listening:reminder                    owned          owned-400
listening:mail_preview                owned          staff-405
listening:send_mail                   staff-page     owned
listening:forget_mail                 staff-page     owned
listening:rename_link                 staff-page     owned
listening:revoke_link                 staff-page     owned
listening:session_settings            staff-page     owned-400
listening:reissue                     staff-page     owned-400
listening:print_sheets                owned-409      staff-405
listening:paper                       owned-409      owned-409
listening:paper_sheet                 owned-409      owned-409
listening:finish_paper                staff-page     owned-409
listening:workbook                    owned-409      owned-409
listening:workbook_file               staff-page     owned-409
listening:finish_workbook             staff-page     owned-409
listening:workbooks_zip               staff-page     owned-409
listening:open_link                   staff-page     owned
listening:close_links                 staff-page     owned
listening:rehearse                    staff-page     owned-400
listening:preview                     staff-page     owned-400
listening:design                      owned          staff-405
listening:checks                      owned          owned-400
listening:extend                      owned          owned-400
listening:adopt_design                staff-page     owned
listening:design_csv                  owned-409      staff-405
listening:design_json                 owned-409      staff-405
listening:monitor                     owned          staff-405
listening:monitor_alert               staff-page     owned
listening:monitor_csv                 owned          staff-405
listening:monitor_all                 staff          staff-405
analysis:results                      owned          staff-405
analysis:fit_ordinal                  staff-page     owned
analysis:exclusions                   owned          owned-400
analysis:lift_exclusion               staff-page     owned
analysis:plan                         owned          owned-400
analysis:metrics                      owned          owned-400
analysis:remove_metrics               staff-page     owned
analysis:use_rule                     staff-page     owned
analysis:plan_study                   staff          staff-405
analysis:plan_file                    staff-404      staff-405
analysis:report                       owned          staff-405
analysis:write_report_pdf             staff-page     owned
analysis:table                        staff          staff-400
api:job                               api-owned      api-405
api:schema                            api            api-405
api:collections                       api            api-400
api:collection                        api-owned      api-405
api:collection_deletion               api-read-405   api-owned-400
api:collection_items                  api-owned      api-405
api:collection_item                   api-read-405   api-405
api:collection_clips                  api-owned      api-405
api:collection_copy                   api-read-405   api-owned-400
api:collection_copies                 api-read-405   api-owned-400
api:collection_checks                 api-owned      api-405
api:imports                           api-owned      api-owned-400
api:import                            api-owned      api-405
api:import_levels                     api-owned      api-405
api:import_files                      api-owned      api-owned-400
api:import_submit                       api-read-405   api-owned-409
api:import_leave_out                  api-read-405   api-owned-409
api:import_take_back                  api-read-405   api-owned-400
api:import_replace                    api-read-405   api-owned-400
api:import_reopen                     api-read-405   api-owned-409
api:import_confirm                    api-read-405   api-owned-409
api:import_cancel                     api-read-405   api-owner
api:uploads                           api-read-405   api-412
api:upload                            api-owned      api-412
api:experiments                       api            api-400
api:experiment                        api-owned      api-405
api:protocols                         api            api-405
api:options                           api-read-405   api-405
api:texts                             api-owned      api-405
api:consent_pdf                       api-owned      api-405
api:state                             api-owned      api-owned-400
api:unblinding                        api-read-405   api-owned-422
api:ordinal_model                     api-owned      api-owned-409
api:exclusions                        api-owned      api-owned-400
api:metrics                           api-owned      api-405
api:metrics_file                      api-read-409   api-405
api:exclusion_rules                   api-owned      api-owned-400
api:lift_exclusion                    api-read-405   api-owned-400
api:experiment_file                   api-owned      api-405
api:experiment_files                  api-read-405   api-400
api:experiment_file_schema            public         no-method
api:extensions                        api-owned      api-owned-422
api:extension_preview                 api-read-409   api-405
api:questions                         api-owned      api-405
api:checks                            api-owned      api-405
api:analysis_plan                     api-owned      api-405
api:label_sets                        api-owned      api-owned-400
api:label_set                         api-read-405   api-405
api:questions_of_visit                no-method      visit-400
api:shares                            api-owned      api-owned-400
api:share                             api-read-405   api-405
api:owner                             api-read-405   api-owned-400
api:archive                           api-read-405   api-owned-409
api:deletion                          api-owned      api-owned-400
api:restoration                       api-read-405   api-owned-404
api:monitor_all                       api            api-405
api:copies                            api-read-405   api-owner
api:simulations                       api-owned      api-owner
api:simulation                        api-read-405   api-405
api:design                            api-owned      api-owned-400
api:design_preview                    api-read-405   api-owner
api:design_csv                        api-read-409   api-405
api:design_json                       api-read-409   api-405
api:panels                            api-owned      api-owned-400
api:seats                             api-owned      api-405
api:release_seat                      api-read-405   api-owner
api:session_settings                  api-owned      api-405
api:completion_codes                  api-owned      api-405
api:links                             api-owned      api-owned-400
api:link                              api-read-405   api-405
api:link_revocation                   api-read-405   api-owner
api:open_links                        api-read-405   api-owner
api:rehearsals                        api-read-405   api-owner
api:monitor                           api-owned      api-405
api:monitor_alert                     api-owned      api-405
api:upcoming                          visit          no-method
api:pages                             visit-409      no-method
api:votes                             no-method      visit-400
api:finish                            no-method      visit-409
api:reports                           no-method      visit-400
api:setup                             visit          visit-400
api:setup_sound                       visit          no-method
api:media                             visit          no-method
api:media_clip                        visit          no-method
api:media_manifest                    visit          no-method
api:media_peaks                       visit          no-method
api:media_tile                        visit          no-method
api:media_slice                       visit          no-method
api:results                           api-owned      api-405
api:result_tables                     api-read-409   api-405
api:result                            api-owned      api-405
api:result_state                      api-owned      api-405
api:votes_csv                         api-read-409   api-405
api:result_items                      api-owned      api-405
api:report_file                       api-read-409   api-405
api:tables_csv                        api-read-409   api-405
api:wide_csv                          api-read-409   api-405
api:clips_csv                         api-read-409   api-405
api:conditions_csv                    api-read-409   api-405
api:questionnaire_csv                 api-read-409   api-405
api:report_html                       api-owned      api-405
api:report_pdf                        api-read-409   api-owner
api:dataset_zip                       api-owned      api-405
account_login                         public         public
account_logout                        public         public
account_inactive                      public         no-method
account_signup                        nobody         nobody
account_reauthenticate                signed-in      signed-in
account_email                         nobody         nobody
account_email_verification_sent       nobody         nobody
account_change_password               signed-in      signed-in
account_set_password                  nobody         nobody
account_reset_password                nobody         nobody
account_confirm_login_code            nobody         nobody
account_confirm_email                 nobody         nobody
account_reset_password_from_key_done  nobody         nobody
account_reset_password_from_key       nobody         nobody
account_reset_password_done           nobody         nobody
mfa_index                             signed-in      signed-in-405
mfa_authenticate                      signed-in      signed-in
mfa_reauthenticate                    signed-in      signed-in
mfa_activate_totp                     signed-in      signed-in
mfa_deactivate_totp                   factor-owner   factor-owner
mfa_view_recovery_codes               factor-owner   signed-in-405
mfa_generate_recovery_codes           signed-in      signed-in
mfa_download_recovery_codes           factor-owner   factor-owner
set_language                          public         public
"""

ASKERS, *_lines = (line.split() for line in ANSWERS.strip().splitlines())
PATTERNS = {name: dict(zip(ASKERS, answers, strict=True)) for name, *answers in _lines}
TABLE = {route: (get, post) for route, get, post in (line.split() for line in ROUTES.strip().splitlines())}
