# Cumulative-link mixed models by ordinal::clmm; Rscript make_ordinal_figures.R FOLDER ordinal.json
# FOLDER has the tables that `python -m tests.analysis.statistics.reference.votes FOLDER` writes.
suppressPackageStartupMessages(library(ordinal))
arguments <- commandArgs(TRUE)
formulas <- c(intercepts = "score ~ condition + (1|listener) + (1|item)",
              full = "score ~ condition + (1|listener) + (1|item) + (1|listener:condition) + (1|item:condition)")
cases <- list(c("balanced", "intercepts"), c("balanced", "full"), c("unbalanced", "intercepts"), c("two_conditions", "full"))
found <- lapply(cases, function(case) {
  votes <- read.csv(file.path(arguments[1], paste0(case[1], ".csv")))
  for (name in c("listener", "item", "condition")) votes[[name]] <- factor(votes[[name]])
  votes$score <- factor(votes$score, ordered = TRUE)
  fit <- clmm(as.formula(formulas[case[2]]), data = votes, Hess = TRUE, control = clmm.control(gradTol = 1e-6))
  effects <- grep("^condition", names(coef(fit)))
  sds <- sapply(VarCorr(fit), function(v) sqrt(v[1]))
  list(table = case[1], kind = case[2], log_likelihood = as.numeric(logLik(fit)), thresholds = as.vector(fit$alpha),
       effects = as.vector(fit$beta), se = as.vector(sqrt(diag(vcov(fit)))[names(fit$beta)]),
       deviations = setNames(as.list(sds), gsub(":", "_", names(sds))))
})
write <- function(v) if (is.list(v) && !is.null(names(v))) paste0("{", paste0('"', names(v), '": ', sapply(v, write), collapse = ", "), "}") else
  if (is.list(v)) paste0("[", paste(sapply(v, write), collapse = ",\n "), "]") else
  if (is.character(v)) paste0('"', v, '"') else
  if (length(v) == 1) format(v, digits = 12) else paste0("[", paste(sapply(v, format, digits = 12), collapse = ", "), "]")
writeLines(write(found), arguments[2])
