/** Texts of an agent that go into the run's state and its event log: however long they are sent, they are kept short. */
import * as v from "valibot";
import { text } from "../core/schemas/values.ts";

const MAX_CHARS = 4_000;
const MAX_LISTED = 100;

/** A name: no honest one is longer than a path may be (PATH_MAX of Linux). */
export const shortText = v.pipe(text, v.maxLength(4_096));

/** A text that is cut, never within a surrogate pair. */
export const cutText = v.pipe(text, v.transform(cut));

/** A flat object whose texts are cut, never within a surrogate pair. */
export function cutTexts<const S extends v.GenericSchema<unknown, object>>(schema: S) {
	return v.pipe(
		schema,
		v.transform((value): v.InferOutput<S> => {
			const entries = Object.entries(value).map(([key, part]) => [key, typeof part === "string" ? cut(part) : part]);
			return Object.fromEntries(entries) as v.InferOutput<S>;
		}),
	);
}

/** A list of which only the first items are kept. */
export function firstOf<const S extends v.GenericSchema>(item: S) {
	return v.pipe(
		v.array(item),
		v.transform((items): readonly v.InferOutput<S>[] => items.slice(0, MAX_LISTED)),
	);
}

function cut(long: string): string {
	return long.length <= MAX_CHARS ? long : `${long.slice(0, MAX_CHARS - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
