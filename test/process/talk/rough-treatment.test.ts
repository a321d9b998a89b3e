/** A conversation in whose way something stands: it was suspended for long, its supervisor hangs, or the terminal is gone. */
import { describe, expect, test } from "vitest";
import { hasTmux } from "../../fixtures/terminal.ts";
import { runs, says } from "../api/api-run.ts";
import { startTalkService } from "../conversation/conversation-run.ts";
import { listens, talkInTerminal } from "./talk-terminal.ts";

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	// Seen to fail: a supervisor closes a watcher that leaves 16 MiB unread, and that was taken for its death.
	test("suspended while more was said than a watcher may leave unread, it goes on with fg", async () => {
		const much = `${"x".repeat(99)}\n`.repeat(100_000);
		const api = await startTalkService({
			begin: { content: [says(much), runs("t1", "echo next")], pieceSize: 50_000 },
			next: { content: [says(`${much}The end.`)], pieceSize: 50_000 },
			after: { content: [says("It goes on.")] },
		});
		const talk = await talkInTerminal(api);
		talk.say("begin");
		await talk.terminal.shows(/x{99}/);
		talk.terminal.press("C-z");
		await talk.happens(listens);
		await talk.terminal.shows(/Stopped/);
		talk.terminal.type("fg");
		await talk.terminal.shows(/The end\.\n\n>\n/);
		talk.say("after");
		await talk.terminal.shows(/> after\n\nIt goes on\./);
		expect(talk.runs()).toHaveLength(1);
	});
});
