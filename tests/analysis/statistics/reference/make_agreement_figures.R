# Intraclass correlations of psych on two tables that stand here, and on those that votes.py writes where every listener
# rated every stimulus once:
#   python -m tests.analysis.statistics.reference.votes FOLDER && Rscript make_agreement_figures.R FOLDER agreement.json

suppressPackageStartupMessages({
  library(psych)
  library(jsonlite)
})
# Rows are targets, columns raters. Shrout and Fleiss (1979), and six raters who use a scale of 1 to 5 alike.
tables <- list(
  shrout_fleiss = rbind(c(9, 2, 5, 8), c(6, 1, 3, 2), c(8, 4, 6, 8), c(7, 1, 2, 6), c(10, 5, 6, 9), c(6, 2, 4, 7)),
  five_points = rbind(
    c(1, 2, 1, 1, 2, 1), c(2, 2, 3, 2, 2, 1), c(3, 3, 4, 3, 2, 3), c(4, 3, 4, 5, 4, 4), c(5, 4, 5, 5, 5, 4),
    c(4, 4, 4, 5, 3, 4), c(2, 1, 2, 3, 2, 2), c(3, 2, 3, 4, 3, 3)
  )
)
names_of <- c(ICC1 = "ICC(1)", ICC2 = "ICC(A,1)", ICC3 = "ICC(C,1)", ICC1k = "ICC(k)", ICC2k = "ICC(A,k)", ICC3k = "ICC(C,k)")
arguments <- commandArgs(trailingOnly = TRUE)
coefficients <- function(marks) {
  found <- ICC(marks, lmer = FALSE)$results
  values <- Map(
    function(value, low, high) c(value, low, high),
    found$ICC, found[["lower bound"]], found[["upper bound"]]
  )
  setNames(values, names_of[found$type])
}
figures <- lapply(tables, function(marks) list(marks = marks, coefficients = coefficients(marks)))
simulated <- c("balanced", "zero", "continuous", "two_conditions")
figures$simulated <- lapply(setNames(simulated, simulated), function(name) {
  votes <- read.csv(file.path(arguments[1], paste0(name, ".csv")))
  stimulus <- paste(votes$item, votes$condition)
  coefficients(unclass(tapply(votes$score, list(stimulus, votes$listener), sum)))
})
figures$versions <- paste("psych", packageVersion("psych"))
write_json(figures, arguments[2], digits = NA, auto_unbox = TRUE, pretty = TRUE)
