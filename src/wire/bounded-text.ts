/** Texts of an agent that go into the run's state and its event log: they are cut, however long they are sent. */
import * as v from "valibot";
import { foldedMiddle } from "../core/preview.ts";
import { text } from "../core/schemas/values.ts";

const MAX_CHARS = 4_000;
/** Of why an agent ended, which `agent show` has whole: as much as is read of the words of a service, and a few words more. */
const MAX_CAUSE_CHARS = 72_000;
const MAX_LISTED = 100;

/** A name: no honest one is longer than a path may be (PATH_MAX of Linux). */
export const shortText = v.pipe(text, v.maxLength(4_096));

/** An ending, with its cause. */
export function withCause<const S extends v.GenericSchema<unknown, object>>(schema: S) {
	return cutTexts(schema, MAX_CAUSE_CHARS);
}

/** A flat object whose texts are cut in their middle. */
export function cutTexts<const S extends v.GenericSchema<unknown, object>>(schema: S, most = MAX_CHARS) {
	return v.pipe(
		schema,
		v.transform((value): v.InferOutput<S> => {
			const entries = Object.entries(value).map(([key, part]) => [
				key,
				typeof part === "string" ? foldedMiddle(part, most) : part,
			]);
			return Object.fromEntries(entries) as v.InferOutput<S>;
		}),
	);
}

/** A list that is cut after its first items. */
export function firstOf<const S extends v.GenericSchema>(item: S) {
	return v.pipe(
		v.array(item),
		v.transform((items): readonly v.InferOutput<S>[] => items.slice(0, MAX_LISTED)),
	);
}
