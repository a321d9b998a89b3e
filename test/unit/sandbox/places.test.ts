import { expect, test } from "vitest";
import { movedSecrets, programPlaces, secretsNamedBy } from "../../../src/sandbox/places.ts";

test.each([
	[{ AWS_CONFIG_FILE: "/a/aws" }, ["/a/aws"]],
	[{ KUBECONFIG: "/a/one:/a/two" }, ["/a/one", "/a/two"]],
	[{ DOCKER_HOST: "unix:///a/docker.sock" }, ["/a/docker.sock"]],
	[{ DBUS_SESSION_BUS_ADDRESS: "unix:path=/a/bus,guid=1" }, ["/a/bus"]],
	[{ KRB5CCNAME: "FILE:/a/cc" }, ["/a/cc"]],
	[{ TMUX: "/a/tmux,1,0" }, ["/a/tmux"]],
	[{ DOCKER_HOST: "tcp://host:1", HISTFILE: "relative", XAUTHORITY: "", GNUPGHOME: "/" }, []],
])("secrets that the environment names: %j", (env, expected) => {
	expect(secretsNamedBy(env)).toEqual(expected);
});

test("what lies below ~/.config otherwise is looked for where the environment has moved it", () => {
	const names = [".ssh", ".config/gh", ".local/state/agentree"];
	expect(movedSecrets(names, { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "relative" })).toEqual(["/c/gh"]);
	expect(movedSecrets(names, { XDG_STATE_HOME: "/s" })).toEqual(["/s/agentree"]);
	expect(
		movedSecrets([".cache/huggingface/token", ".cargo/credentials"], { HF_HOME: "/hf", CARGO_HOME: "/c" }),
	).toEqual([...["/c/credentials", "/hf/token"]]);
});

test("programs that run outside lie in PATH, also by relative names, and where agentree is", () => {
	expect(programPlaces({ PATH: "bin:/usr/bin:/usr/bin" }, "/p", "/p/node_modules/agentree/dist/agent.js")).toEqual([
		...["/p/bin", "/usr/bin", "/p/node_modules/agentree/dist", "/p/node_modules/agentree"],
	]);
});
