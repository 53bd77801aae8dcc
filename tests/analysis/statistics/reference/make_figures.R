# Figures of lme4, lmerTest, emmeans and base R on the tables that votes.py writes:
#   python -m tests.analysis.statistics.reference.votes FOLDER && Rscript make_figures.R FOLDER figures.json

suppressPackageStartupMessages({
  library(lmerTest)
  library(emmeans)
  library(jsonlite)
})
emm_options(lmerTest.limit = 1e6, pbkrtest.limit = 0)
arguments <- commandArgs(trailingOnly = TRUE)
tight <- lmerControl(
  optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9, maxfun = 1e5),
  check.conv.singular = .makeCC("ignore", tol = 1e-4), calc.derivs = FALSE
)

fit_terms <- function(votes, kind, factors) {
  random <- "(1 | listener)"
  if (nlevels(votes$item) > 1) random <- c(random, "(1 | item)")
  if (kind == "full") random <- c(random, "(1 | listener:condition)")
  if (kind == "full" && nlevels(votes$item) > 1) random <- c(random, "(1 | item:condition)")
  reformulate(c("condition", factors, random), "score")
}

model_figures <- function(votes, kind, factors = character()) {
  fitted <- lmer(fit_terms(votes, kind, factors), votes, control = tight)
  found <- emmeans(fitted, "condition", lmer.df = "satterthwaite")
  pairs <- as.data.frame(pairs(found, adjust = "none"))
  list(
    factors = I(factors),
    reml_criterion = REMLcrit(fitted),
    components = as.list(setNames(as.data.frame(VarCorr(fitted))$vcov, as.data.frame(VarCorr(fitted))$grp)),
    means = as.data.frame(found)[c("condition", "emmean", "SE", "df", "lower.CL", "upper.CL")],
    contrasts = cbind(pairs, p_holm = p.adjust(pairs$p.value, "holm"))
  )
}

# Analysis of variance of repeated measures, on means of listeners who rated every condition.
listener_figures <- function(votes) {
  means <- tapply(votes$score, list(votes$listener, votes$condition), mean)
  means <- means[complete.cases(means), , drop = FALSE]
  found <- anova(lm(means ~ 1), X = ~1, test = "Spherical")
  friedman <- friedman.test(means)
  list(
    listeners = nrow(means),
    f = found$F[1], df = found[["num Df"]][1], df_error = found[["den Df"]][1], p = found[["Pr(>F)"]][1],
    p_corrected = found[["G-G Pr"]][1],
    epsilon = as.numeric(sub(".*: *", "", grep("Greenhouse-Geisser", attr(found, "heading"), value = TRUE))),
    friedman = list(chi2 = unname(friedman$statistic), p = friedman$p.value)
  )
}

figures <- list()
for (path in sort(list.files(arguments[1], "[.]csv$", full.names = TRUE))) {
  name <- sub("[.]csv$", "", basename(path))
  votes <- read.csv(path)
  total <- sum(votes$score)
  for (column in setdiff(names(votes), "score")) votes[[column]] <- factor(votes[[column]])
  models <- list(full = model_figures(votes, "full"), intercepts = model_figures(votes, "intercepts"))
  if (!is.null(votes$panel)) models$full_with_factors <- model_figures(votes, "full", c("panel", "order"))
  figures[[name]] <- list(
    votes = nrow(votes), total = total, models = models, listeners = listener_figures(votes)
  )
  message(name)
}
figures$versions <- lapply(c("lme4", "lmerTest", "emmeans"), function(each) paste(each, packageVersion(each)))
write_json(figures, arguments[2], digits = NA, auto_unbox = TRUE, pretty = TRUE)
