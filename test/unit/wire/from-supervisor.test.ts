import { expect, test } from "vitest";
import { TO_AGENT } from "../../../src/wire/agent-messages.ts";
import { fromSupervisor } from "../../../src/wire/from-supervisor.ts";

test("an agent knows each word that its supervisor has", () => {
	const said = TO_AGENT.map(({ entries }) => ({ say: entries.say.literal }));
	expect(said.map(fromSupervisor)).toEqual(said);
});

test.each([{}, [], { say: "dance" }, { say: "toString" }, { say: 7 }])("%j is no word of a supervisor", (value) => {
	expect(fromSupervisor(value)).toBeUndefined();
});
