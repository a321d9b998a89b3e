/** A line of the user's file of grants: a person's yes to what the rule names, in this and all later runs of a project. */
import * as v from "valibot";
import { text, time } from "./values.ts";

export const ProjectGrantSchema = v.object({
	/** The root of the project, without links. */
	project: text,
	/** As a rule is written: `Bash(npm run test *)`. */
	rule: text,
	at: time,
	/** The run in which it was given. */
	run: text,
});
export type ProjectGrant = Readonly<v.InferOutput<typeof ProjectGrantSchema>>;
