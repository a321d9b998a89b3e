/** What is said at the top of every face while a run goes on without a sandbox and without questions; the longest that fits. */
export const SKIPPED_PERMISSIONS = [
	"NO SANDBOX, NO QUESTIONS: agents can do everything you can (--dangerously-skip-permissions)",
	"NO SANDBOX, NO QUESTIONS: agents can do everything you can",
	"NO SANDBOX, NO QUESTIONS",
	"NO SANDBOX",
] as const;
