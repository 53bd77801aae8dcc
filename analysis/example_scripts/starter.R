# Print the mean opinion scores of this dataset, as analysis/starter.py does. Base R, no packages: Rscript analysis/starter.R
# Run it in the folder that holds data/ and analysis/.
file <- list.files("data", pattern = "_description-responses_data\\.csv$", full.names = TRUE)
votes <- read.csv(file, colClasses = c(condition = "character", subject_id = "character", excluded = "character"))
# Excluded answers are left out.
test <- votes[votes$kind == "test" & votes$excluded == "false", ]
# Listeners count who have answered every page; as long as nobody has, all of them do.
file <- list.files("data", pattern = "_description-participants_data\\.csv$", full.names = TRUE)
people <- read.csv(file, colClasses = "character")
counted <- test$subject_id %in% people$subject_id[people$complete == "true"]
if (any(counted)) test <- test[counted, ]
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
print(table[order(table$condition, table$scale), ], row.names = FALSE, digits = 5)
