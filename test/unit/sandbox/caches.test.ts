import { expect, test } from "vitest";
import type { Confinement, Mount } from "../../../src/core/machine/sandbox.ts";
import { cachePlaces, cacheVariables } from "../../../src/sandbox/caches.ts";

const confinement = (...mounts: Mount[]): Confinement => ({ mode: "workspace", network: "host", hosts: [], mounts });

test("caches lie in the home directory, and where the environment says", () => {
	const places = cachePlaces({ GOPATH: "/g", CARGO_HOME: "/opt/cargo", GOCACHE: "off", XDG_CACHE_HOME: "/" }, ["/h"]);
	expect(places).toEqual(expect.arrayContaining(["/h/.cache", "/h/.npm", "/h/go/pkg", "/g/pkg", "/opt/cargo"]));
	expect(places).not.toContain("/");
	expect(places).not.toContain("off");
	expect(cachePlaces({}, []).filter((path) => path.startsWith("/pkg"))).toEqual([]);
});

test("a tool whose cache cannot be written to is led to /tmp, unless it is led elsewhere already", () => {
	const mounts: Mount[] = [
		{ path: "/h/.npm", as: "copy" },
		{ path: "/h/.gradle", as: "write" },
	];
	const variables = cacheVariables({ HOME: "/h", CARGO_HOME: "/c" }, confinement(...mounts), () => false);
	expect(variables).toMatchObject({
		XDG_CACHE_HOME: "/tmp/.caches/cache",
		GOMODCACHE: "/tmp/.caches/go/pkg",
		MAVEN_OPTS: "-Dmaven.repo.local=/tmp/.caches/m2",
	});
	for (const name of ["npm_config_cache", "GRADLE_USER_HOME", "CARGO_HOME"]) expect(variables).not.toHaveProperty(name);
});

test("what is in ~/.cache stays within reach where nothing can be written there", () => {
	const variables = cacheVariables({ HOME: "/h" }, confinement(), (path) => path === "/h/.cache");
	expect(variables).toMatchObject({ PIP_CACHE_DIR: "/tmp/.caches/cache/pip", GOCACHE: "/tmp/.caches/cache/go-build" });
	expect(variables).not.toHaveProperty("XDG_CACHE_HOME");
});

test("a home that may be written to, and none, need no variables", () => {
	expect(cacheVariables({ HOME: "/h" }, confinement({ path: "/h", as: "write" }), () => false)).toEqual({});
	expect(cacheVariables({}, confinement(), () => false)).toEqual({});
});
