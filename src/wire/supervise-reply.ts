/** The one message that a supervisor process prints to stdout, for the dashboard that started it. */
import * as v from "valibot";
import { type ErrorCode, isErrorCode } from "../core/errors.ts";
import { oneOf, text } from "../core/schemas/values.ts";

const SuperviseReplySchema = oneOf("is", [
	v.object({ is: v.literal("started"), directory: text }),
	v.object({
		is: v.literal("failed"),
		code: v.custom<ErrorCode>((code) => typeof code === "string" && isErrorCode(code)),
		message: text,
	}),
]);
export type SuperviseReply = v.InferOutput<typeof SuperviseReplySchema>;

/** The line as a reply; undefined when it is none. */
export function parseSuperviseReply(line: string): SuperviseReply | undefined {
	try {
		const reply = v.safeParse(SuperviseReplySchema, JSON.parse(line));
		return reply.success ? reply.output : undefined;
	} catch {
		return undefined;
	}
}
