/** How the commands of an agent are bounded more than those above it. */
import * as v from "valibot";
import { NARROW_MODES } from "../ask-mode.ts";
import { listOf, optional, readonly, text } from "./values.ts";

const MAX_RULES = 100;
const MAX_CHARS = 500;
const rules = v.pipe(listOf(v.pipe(text, v.maxLength(MAX_CHARS))), v.maxLength(MAX_RULES));

/** What a child asks for. */
export const AskedNarrowingSchema = v.object({
	mode: optional(v.picklist(NARROW_MODES)),
	ask: optional(rules),
	deny: optional(rules),
});

/** What is in force, with that of all above. */
export const NarrowingSchema = readonly(
	v.object({ mode: optional(v.picklist(NARROW_MODES)), ask: listOf(text), deny: listOf(text) }),
);
