/** The roles that every run has. A file for a role of the same name goes before them. */
import type { Role } from "./role.ts";

export const BUILT_IN_ROLES: readonly Role[] = [
	{
		name: "explore",
		description: "looks and reports, changes nothing",
		text: "You explore: you look and report, and change nothing: no file, no setting, no other state. Use commands that only read. Report what you found with files and line numbers, and say what you did not look at.",
		...{ limits: {}, sandbox: "read-only", notices: [] },
	},
	{
		name: "plan",
		description: "answers with a plan",
		text: "You plan: you look, change nothing, and answer with a plan that someone else can carry out: the steps in order, the files each step touches, how to check each step, what may go wrong, and what is still unknown.",
		...{ limits: {}, sandbox: "read-only", notices: [] },
	},
	{
		name: "code",
		description: "changes files and checks them",
		text: "You change code. Read what is there before you change it, and keep its style. Make the smallest change that does the whole task. Run the checks (tests, build, the program itself), fix what fails, and report what you changed and what you ran.",
		...{ limits: {}, notices: [] },
	},
];
