/** A turn that the service holds back says what it waits for, and for how long, where it would else be thinking. */
import { describe, expect, test } from "vitest";
import { hasTmux } from "../../fixtures/terminal.ts";
import { says } from "../api/api-run.ts";
import { startTalkService } from "../conversation/conversation-run.ts";
import { chatInTerminal, listens } from "./chat-terminal.ts";

const REFUSED = {
	error: { status: 429, type: "rate_limit_error", message: "too many", headers: { "retry-after": "200" } },
};

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test("a refused call says when it is made again, and the next one that no calls are made so long", async () => {
		const api = await startTalkService({ hello: REFUSED, again: { content: [says("never")] } });
		const talk = await chatInTerminal(api);
		talk.say("hello");
		await talk.terminal.shows(/1st retry in (3m\d\ds|\d+ s): .*too many/);
		talk.terminal.press("Escape");
		await talk.happens(listens);
		talk.say("again");
		await talk.terminal.shows(/waiting for the service \d+s: no calls for 3m\d\ds: .*too many/);
		expect(api.requests).toHaveLength(1);
	});
});
