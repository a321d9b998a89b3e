import { expect, test } from "vitest";
import { configurationPath } from "../../../../src/project/config/user-directories.ts";

const at = (env: Record<string, string>) => configurationPath(env, () => "/work");

test("the configuration lies where the variable says, else where XDG says, else in the home", () => {
	expect(at({ AGENTREE_CONFIG: "own.yaml", HOME: "/home/ann" })).toEqual({ path: "/work/own.yaml", isNamed: true });
	expect(at({ AGENTREE_CONFIG: "/etc/own.yaml" })).toEqual({ path: "/etc/own.yaml", isNamed: true });
	expect(at({ XDG_CONFIG_HOME: "/conf", HOME: "/home/ann", AGENTREE_CONFIG: "" })).toEqual({
		path: "/conf/agentree/config.yaml",
		isNamed: false,
	});
	for (const xdg of ["", "relative"])
		expect(at({ XDG_CONFIG_HOME: xdg, HOME: "/home/ann" })?.path).toBe("/home/ann/.config/agentree/config.yaml");
});
