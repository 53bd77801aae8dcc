# Strengths of paired comparisons by glm; Rscript make_pair_figures.R pairs.json
# Games of 1987 in the eastern American League, an example of Agresti, Categorical Data Analysis: row beat column.
teams <- c("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
wins <- matrix(c(0, 7, 9, 7, 7, 9, 11,  6, 0, 7, 5, 11, 9, 9,  4, 6, 0, 7, 7, 8, 12,  6, 8, 6, 0, 6, 7, 10,
                 6, 2, 6, 7, 0, 7, 12,  4, 4, 5, 6, 6, 0, 6,  2, 4, 1, 3, 1, 7, 0), 7, byrow = TRUE)
pairs <- which(upper.tri(wins), arr.ind = TRUE)
x <- matrix(0, nrow(pairs), 7)
for (r in seq_len(nrow(pairs))) { x[r, pairs[r, 1]] <- 1; x[r, pairs[r, 2]] <- -1 }
won <- wins[pairs]; lost <- t(wins)[pairs]
found <- lapply(c(`bradley-terry` = "logit", thurstone = "probit"), function(link) {
  fit <- glm(cbind(won, lost) ~ 0 + x[, 1:6], family = binomial(link), control = glm.control(epsilon = 1e-14, maxit = 100))
  centre <- diag(7) - 1 / 7
  value <- c(coef(fit), 0); covariance <- rbind(cbind(vcov(fit), 0), 0)
  list(values = as.vector(centre %*% value), se = sqrt(diag(centre %*% covariance %*% centre)),
       to_last = as.vector(coef(fit)), to_last_se = as.vector(sqrt(diag(vcov(fit)))),
       deviance = deviance(fit), df = df.residual(fit))
})
found$wins <- wins
found$versions <- paste("stats", packageVersion("stats"))
write <- function(v) if (is.list(v)) paste0("{", paste0('"', names(v), '": ', sapply(v, write), collapse = ", "), "}") else
  if (is.character(v)) paste0('"', v, '"') else if (is.matrix(v)) paste0("[", paste(apply(v, 1, write), collapse = ", "), "]") else
  if (length(v) == 1) format(v, digits = 15) else paste0("[", paste(sapply(v, format, digits = 15), collapse = ", "), "]")
writeLines(write(found), commandArgs(TRUE)[1])
