import { expect, test } from "vitest";
import { parseUserConfiguration } from "../../../src/models/user-configuration.ts";

const sandboxIn = (text: string) => parseUserConfiguration(text, "c.yaml").sandbox;

test.each([
	["", undefined],
	["notify: off", undefined],
	["sandbox:", undefined],
	["sandbox: {mode: read-only}", { mode: "read-only" }],
	["sandbox: {mode: off}", { mode: "off" }],
	["sandbox: {mode: required, net: none}", { mode: "workspace", isRequired: true, network: "none" }],
	["sandbox: {allow_write: [~/cache], deny_read: [.env, 1]}", { allowWrite: ["~/cache"], denyRead: [".env", "1"] }],
	["sandbox: {allow_read: [~/.npmrc]}", { allowRead: ["~/.npmrc"] }],
	["sandbox: {allow_hosts: [a.org]}", { network: "proxy", allowHosts: ["a.org"] }],
])("%j", (text, expected) => {
	expect(sandboxIn(text)).toEqual(expected);
});

test.each([
	["sandbox: {mode: on}", "c.yaml:1:17: one of off, workspace, read-only, required is expected"],
	["sandbox: {net: all}", "c.yaml:1:16: one of host, proxy, none is expected"],
	["sandbox: {deny_read: .env}", "c.yaml:1:22: a list is expected"],
	['sandbox: {deny_read: [""]}', "c.yaml:1:23: a text is expected"],
	["sandbox: {write: [a]}", /^c\.yaml:1:11: unknown key "write"/],
])("%j is wrong", (text, problem) => {
	expect(() => sandboxIn(text)).toThrow(problem);
});
