/** The one tool, as far as both ends know it: the supervisor describes it to the model, the agent runs its calls. */
export const BASH = "bash";
export const DEFAULT_TIMEOUT_MS = 120_000;
export const MAX_TIMEOUT_MS = 600_000;
/** Of a result: of more, the middle is left out. */
export const MAX_RESULT_CHARS = 20_000;
