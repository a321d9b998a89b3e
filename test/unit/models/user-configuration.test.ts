import { expect, test } from "vitest";
import { parseUserConfiguration } from "../../../src/models/user-configuration.ts";

const notifyIn = (text: string) => parseUserConfiguration(text, "c.yaml").notify;

test("a person is told by a bell, unless the file says how else", () => {
	expect(notifyIn("")).toEqual({ is: "bell" });
	expect(notifyIn("prices: {}")).toEqual({ is: "bell" });
	expect(notifyIn("notify: bell")).toEqual({ is: "bell" });
	expect(notifyIn("notify: off")).toEqual({ is: "off" });
	expect(notifyIn("notify: false")).toEqual({ is: "off" });
	expect(notifyIn('notify: notify-send agentree "$AGENTREE_NOTICE"')).toEqual({
		...{ is: "command", command: 'notify-send agentree "$AGENTREE_NOTICE"' },
	});
});

test.each(['notify: ""', "notify: [a]", "notify: {}"])("%s is told with its place", (text) => {
	expect(() => notifyIn(text)).toThrow(/^c\.yaml:1:\d+: /);
});
