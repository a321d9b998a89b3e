/** The share of a model's context at which an agent's older messages are replaced, unless `--compact-at` says otherwise. */
export const DEFAULT_COMPACT_AT = 0.8;
