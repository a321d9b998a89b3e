import { expect, test } from "vitest";
import { askedSession, refuseSession } from "../../../../src/cli/sessions/asked-session.ts";
import { sessionWithoutChoice } from "../../../../src/cli/sessions/find-session.ts";
import { temporaryHome } from "../../record/fabricate.ts";

test.each([
	[{}, { is: "new" }],
	[{ continue: true }, { is: "newest" }],
	[{ resume: true }, { is: "choose" }],
	[{ resume: "k3f9" }, { is: "named", wanted: "k3f9" }],
])("%j asks for %j", (values, asked) => expect(askedSession(values)).toEqual(asked));

test.each([
	[{ continue: true, resume: "k3f9" }, /contradict each other/],
	[{ continue: true, detach: true }, /--detach is for a new run/],
	[{ continue: true, "json-schema": "a.json" }, /--json-schema is for a new conversation/],
	[{ resume: "k3f9", role: "plan" }, /--role is for a new conversation/],
	[{ resume: true, "system-prompt": "x" }, /--system-prompt is for a new conversation/],
	[{ resume: " " }, /needs a run or words/],
])("%j is refused", (values, why) => expect(() => askedSession(values)).toThrow(why));

test("where nobody can choose, a session has to be there and to be named", () => {
	const place = { home: temporaryHome(), cwd: "/work/project" };
	expect(() => sessionWithoutChoice({ is: "newest" }, place)).toThrow(/there is no conversation in \/work\/project/);
	expect(() => sessionWithoutChoice({ is: "choose" }, place)).toThrow(/without a terminal/);
});

test("inside a run no conversation is gone on with", () => {
	expect(() => refuseSession({ resume: true })).toThrow(
		/^--resume is not available inside a run; .* agent resume 1\.2$/,
	);
	expect(() => refuseSession({ quiet: true })).not.toThrow();
});
