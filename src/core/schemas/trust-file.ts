/** A file of the state directory: what a person has answered about the files of one project that tell agents something. */
import * as v from "valibot";
import { listOf, text, time } from "./values.ts";

/** A file as it was when the person was asked. `path`: as it was looked for. `digest`: SHA-256 of what is used of it. */
const AnsweredFileSchema = v.object({ path: text, digest: text });
export type AnsweredFile = Readonly<v.InferOutput<typeof AnsweredFileSchema>>;

export const TrustFileSchema = v.object({
	/** The root of the project, without links. */
	project: text,
	trusted: listOf(AnsweredFileSchema),
	refused: listOf(AnsweredFileSchema),
	answeredAt: time,
});
export type TrustFile = Readonly<v.InferOutput<typeof TrustFileSchema>>;
