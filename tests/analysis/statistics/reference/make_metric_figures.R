# Correlations with intervals, and tests of dependent correlations, by psych and base R on a table that stands here:
#   Rscript make_metric_figures.R metrics.json

suppressPackageStartupMessages({
  library(psych)
  library(jsonlite)
})
# Mean votes of twelve clips and three metrics of them; the third falls as votes rise.
votes <- c(1.2, 1.9, 2.4, 2.2, 3.1, 3.6, 2.9, 4.1, 3.8, 4.4, 4.6, 1.5)
metrics <- list(
  first = c(1.4, 1.7, 2.9, 2.0, 3.3, 3.2, 3.1, 4.4, 3.3, 4.1, 4.5, 1.9),
  second = c(0.31, 0.22, 0.58, 0.35, 0.41, 0.77, 0.60, 0.58, 0.83, 0.71, 0.95, 0.44),
  third = c(30, 27, 27, 19, 16, 18, 20, 9, 14, 8, 7, 31)
)
correlations <- lapply(metrics, function(metric) {
  test <- cor.test(metric, votes)
  list(pearson = unname(test$estimate), interval = as.vector(test$conf.int), spearman = cor(metric, votes, method = "spearman"))
})
compare <- function(a, b) {
  r12 <- cor(votes, a); r13 <- cor(votes, b); r23 <- cor(a, b)
  found <- r.test(n = length(votes), r12 = r12, r13 = r13, r23 = r23)
  list(t = found$t, p = found$p)
}
figures <- list(
  votes = votes, metrics = metrics, correlations = correlations,
  tests = list(first_second = compare(metrics$first, metrics$second), first_third = compare(metrics$first, -metrics$third)),
  versions = paste("psych", packageVersion("psych"))
)
write_json(figures, commandArgs(trailingOnly = TRUE)[1], digits = NA, auto_unbox = TRUE, pretty = TRUE)
