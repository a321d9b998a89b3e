import { expect, test } from "vitest";
import { parseSuperviseReply } from "../../../src/wire/supervise-order.ts";

test.each([
	{ is: "started", directory: "/runs/1" },
	{ is: "failed", code: "not_writable", message: "the disk is full" },
])("%j is what a supervisor process says", (reply) =>
	expect(parseSuperviseReply(JSON.stringify(reply))).toEqual(reply),
);

test.each(["", "started", '{"is":"started"}', '{"is":"failed","code":"toString","message":""}'])(
	"%j is not what a supervisor process says",
	(line) => expect(parseSuperviseReply(line)).toBeUndefined(),
);
