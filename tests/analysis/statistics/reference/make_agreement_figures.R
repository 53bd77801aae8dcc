# Intraclass correlations of psych on two tables that stand here:
#   Rscript make_agreement_figures.R agreement.json

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
figures <- lapply(tables, function(marks) {
  found <- ICC(marks, lmer = FALSE)$results
  values <- Map(
    function(value, low, high) c(value, low, high),
    found$ICC, found[["lower bound"]], found[["upper bound"]]
  )
  list(marks = marks, coefficients = setNames(values, names_of[found$type]))
})
figures$versions <- paste("psych", packageVersion("psych"))
write_json(figures, commandArgs(trailingOnly = TRUE)[1], digits = NA, auto_unbox = TRUE, pretty = TRUE)
