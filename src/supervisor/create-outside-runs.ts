/** What leaves the sandboxes of a run: the proxy, and what persons have allowed. */

import { type CreateHostProxyDeps, createHostProxy } from "./create-host-proxy.ts";
import { OutsideRuns, type OutsideRunsDeps } from "./outside-runs.ts";
import { SandboxLender } from "./outside-sandbox.ts";
import type { HostProxy } from "./proxy/host-proxy.ts";

type Deps = Omit<OutsideRunsDeps & CreateHostProxyDeps, "lender">;

export function createOutsideRuns(deps: Deps): { hostProxy: HostProxy; outsideRuns: OutsideRuns } {
	const lender = new SandboxLender();
	return { hostProxy: createHostProxy({ ...deps, lender }), outsideRuns: new OutsideRuns({ ...deps, lender }) };
}
