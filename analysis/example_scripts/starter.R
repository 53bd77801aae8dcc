# Print the mean opinion scores of this dataset, as analysis/starter.py does, say whether they are those that Earmark had
# computed, and fit the mixed model where lme4 is installed. Run it in the folder that holds data/ and analysis/:
#   Rscript analysis/starter.R
file <- list.files("data", pattern = "_description-responses_data\\.csv$", full.names = TRUE)
if (length(file) == 0) {
  cat("This dataset holds no answers.\n")
  quit(status = 0)
}
texts <- c(condition = "character", subject_id = "character", item = "character", excluded = "character")
votes <- read.csv(file, colClasses = texts, na.strings = "", encoding = "UTF-8")
# Excluded answers are left out.
rated <- votes[votes$kind == "test" & votes$excluded == "false", ]
# Listeners count who have answered every page; as long as nobody has, all of them do.
file <- list.files("data", pattern = "_description-participants_data\\.csv$", full.names = TRUE)
people <- read.csv(file, colClasses = "character", encoding = "UTF-8")
counted <- rated$subject_id %in% people$subject_id[people$complete == "true"]
test <- if (any(counted)) rated[counted, ] else rated
# Average within each listener first, then over listeners, with the 95 % t interval over listeners.
listeners <- aggregate(value ~ condition + scale + subject_id, data = test, FUN = mean)
summarise <- function(x) {
  n <- length(x)
  spread <- if (n > 1) sd(x) else NA
  half <- if (n > 1) qt(0.975, n - 1) * spread / sqrt(n) else NA
  c(n_listeners = n, mos = mean(x), sd = spread, ci_low = mean(x) - half, ci_high = mean(x) + half)
}
table <- aggregate(value ~ condition + scale, data = listeners, FUN = summarise)
table <- cbind(table[, c("condition", "scale")], as.data.frame(table$value))
shown <- table[order(table$condition, table$scale), ]
figures <- c("mos", "sd", "ci_low", "ci_high")
shown[figures] <- lapply(shown[figures], function(x) sprintf("%.6f", x))
print(shown, row.names = FALSE)

# The figures of the page, to six decimals.
differs <- function(found, expected, columns) {
  both <- merge(found, expected, by = c("condition", "scale"))
  if (nrow(both) != nrow(expected)) return(Inf)
  apart <- sapply(columns, function(name) abs(both[[paste0(name, ".x")]] - both[[paste0(name, ".y")]]))
  max(0, apart, na.rm = TRUE)
}
same <- TRUE
if (file.exists("analysis/expected.csv")) {
  expected <- read.csv("analysis/expected.csv", colClasses = c(condition = "character", scale = "character"))
  same <- differs(table, expected, c("n_listeners", figures)) < 5e-7
  cat(if (same) "The same as expected.csv.\n" else "NOT the same as expected.csv: see README.md.\n")
} else {
  cat("There is no expected.csv to compare with.\n")
}

# The mixed model: listeners and items are random, alone and together with the condition.
if (requireNamespace("lme4", quietly = TRUE)) {
  model_of <- function(scale) {
    own <- rated[rated$scale == scale, ]
    fitted <- lme4::lmer(
      value ~ 0 + condition + (1 | subject_id) + (1 | item) + (1 | subject_id:condition) + (1 | item:condition),
      data = own, REML = TRUE
    )
    means <- lme4::fixef(fitted)
    data.frame(condition = sub("^condition", "", names(means)), scale = scale, mos = unname(means),
               se = unname(sqrt(diag(as.matrix(vcov(fitted))))))
  }
  model <- do.call(rbind, lapply(sort(unique(rated$scale)), model_of))
  cat("\nMeans of the mixed model (lme4)\n")
  print(model[order(model$condition, model$scale), ], row.names = FALSE, digits = 7)
  if (file.exists("results/model.csv")) {
    expected <- read.csv("results/model.csv", colClasses = c(condition = "character", scale = "character"))
    cat(sprintf("Largest difference of a mean to results/model.csv: %.2g\n", differs(model, expected, "mos")))
  }
} else {
  cat("The package lme4 is not installed, so the mixed model is not fitted here; results/model.csv has it.\n")
}
quit(status = if (same) 0 else 1)
