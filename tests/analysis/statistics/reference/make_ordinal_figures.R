# Cumulative-link mixed models by ordinal::clmm on the tables that votes.py writes:
#   python -m tests.analysis.statistics.reference.votes FOLDER && Rscript make_ordinal_figures.R FOLDER ordinal.json

suppressPackageStartupMessages({
  library(ordinal)
  library(jsonlite)
})
arguments <- commandArgs(trailingOnly = TRUE)
parts <- list(
  intercepts = c("(1 | listener)", "(1 | item)"),
  full = c("(1 | listener)", "(1 | item)", "(1 | listener:condition)", "(1 | item:condition)")
)
cases <- list(
  c("balanced", "intercepts"), c("balanced", "full"), c("unbalanced", "intercepts"), c("two_conditions", "full"),
  c("zero", "intercepts"), c("zero", "full"), c("one_item", "intercepts"), c("one_item", "full"),
  c("sparse", "intercepts")
)
cases <- lapply(cases, function(case) {
  votes <- read.csv(file.path(arguments[1], paste0(case[1], ".csv")))
  for (name in c("listener", "item", "condition")) votes[[name]] <- factor(votes[[name]])
  votes$score <- factor(votes$score, ordered = TRUE)
  random <- parts[[case[2]]]
  # What one item adds cannot be told from the thresholds and the conditions.
  if (nlevels(votes$item) < 2) random <- random[!grepl("item", random)]
  fit <- clmm(reformulate(c("condition", random), "score"), data = votes, Hess = TRUE,
              control = clmm.control(gradTol = 1e-6))
  deviations <- sapply(VarCorr(fit), function(v) sqrt(v[1]))
  message(case[1], " ", case[2])
  list(table = case[1], kind = case[2], log_likelihood = as.numeric(logLik(fit)), thresholds = as.vector(fit$alpha),
       effects = I(as.vector(fit$beta)), se = I(as.vector(sqrt(diag(vcov(fit)))[names(fit$beta)])),
       deviations = setNames(as.list(deviations), gsub(":", "_", names(deviations))))
})
versions <- paste("ordinal", packageVersion("ordinal"))
write_json(list(cases = cases, versions = versions), arguments[2], digits = NA, auto_unbox = TRUE, pretty = TRUE)
