import { expect, test } from "vitest";
import { completersOf } from "../../../../../src/faces/chat/line-input.ts";
import { joined } from "../../../core/run-of.ts";
import { Chat, WAITING } from "../chat-of.ts";

test("/its-name of a file's command sends its text with the arguments in their places", () => {
	const sent = new Chat(...WAITING).say("/fix 12 now").sent();
	expect(sent).toEqual([{ say: "send", agent: "1", text: "Fix issue 12: 12 now" }]);
	const [begin] = new Chat().say("/FIX 7").did();
	expect(begin).toEqual({ do: "begin", message: "Fix issue 7: 7" });
});

test("/help, completion and the nearest name know the commands of files", () => {
	expect(new Chat().say("/help").told()).toMatch(/\n\/fix NUMBER +Fix an issue\n/);
	expect(new Chat().say("/help fix").told()).toMatch(/^\/fix NUMBER +Fix an issue$/);
	expect(new Chat().say("/fixx").told()).toContain("did you mean /fix?");
	const { commands, argumentsOf } = completersOf(new Chat().state);
	expect(commands("fi")).toEqual([{ text: "fix", note: "NUMBER  Fix an issue" }]);
	expect(argumentsOf("role", "te")).toEqual([{ text: "tester", note: "tests" }]);
});

test("/role lists the roles, and chooses one before the conversation begins", () => {
	const chat = new Chat();
	expect(chat.say("/role").told()).toBe("  explore  looks\n  tester   tests\nno role");
	expect(chat.say("/role tester").told()).toBe("role: tester");
	expect(chat.state.choice.role).toBe("tester");
	expect(chat.say("/role").told()).toContain("* tester   tests\nrole: tester");
	expect(chat.say("/role tset").told()).toBe("unknown role tset; see /role");
	expect(chat.say("/role exploer").told()).toBe("unknown role exploer; did you mean explore?; see /role");
});

test("an agent keeps the role with which it began", () => {
	const chat = new Chat({ ...joined("1"), role: "explore" } as ReturnType<typeof joined>);
	expect(chat.say("/role").told()).toContain("role: explore");
	expect(chat.say("/role tester").told()).toBe("an agent keeps its role; start a new chat with /new");
});
