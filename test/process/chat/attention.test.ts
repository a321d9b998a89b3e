/** What a person is told who looks elsewhere: the window's title, and a command of their own. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { hasTmux } from "../../fixtures/terminal.ts";
import { WAIT } from "../../wait.ts";
import { runs, says } from "../api/api-run.ts";
import { startTalkService } from "../conversation/conversation-run.ts";
import { temporaryHome } from "../program.ts";
import { chatInTerminal, listens } from "./chat-terminal.ts";

const FOCUS_LOST = ["-l", "\u001b[O"];
const FOCUS_GAINED = ["-l", "\u001b[I"];

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test("the person's own command is run once, when the agent waits and the terminal has no focus", async () => {
		const api = await startTalkService({
			begin: { content: [runs("t1", "until [ -e go ]; do sleep 0.05; done; echo gone")] },
			...{ gone: { content: [says("Done.")] }, again: { content: [says("Again.")] } },
		});
		const home = temporaryHome();
		mkdirSync(join(home, ".config/agentree"), { recursive: true });
		writeFileSync(join(home, ".config/agentree/config.yaml"), `notify: echo "$AGENTREE_NOTICE" >> ${home}/told\n`);
		const talk = await chatInTerminal(api, { home, args: "talk begin" });
		await talk.terminal.shows(/\$ until/);
		await vi.waitFor(() => expect(talk.terminal.title()).toBe("agentree: working"), WAIT);
		talk.terminal.press(...FOCUS_LOST);
		writeFileSync(join(home, "go"), "");
		await vi.waitFor(
			() => expect(readFileSync(join(home, "told"), "utf8")).toBe("agentree is waiting for you\n"),
			WAIT,
		);
		await vi.waitFor(() => expect(talk.terminal.title()).toBe("agentree: waiting for you"), WAIT);
		talk.terminal.press(...FOCUS_GAINED);
		talk.say("again");
		await talk.happens(listens, 2);
		await talk.terminal.shows(/Again\./);
		expect(readFileSync(join(home, "told"), "utf8")).toBe("agentree is waiting for you\n");
	});
});
