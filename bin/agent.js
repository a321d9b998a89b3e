#!/usr/bin/env node

require("../dist/agent.js");
