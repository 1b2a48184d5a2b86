/** `npm run edge-engine`: writes the engine with fuel checks that the edge compiles sources with. */
import { writeFileSync } from 'node:fs'
import { engineBytes } from './engine-module.ts'

export const EDGE_ENGINE = new URL('../../../edge/compile-check/engine.wasm', import.meta.url)

if (import.meta.main) writeFileSync(EDGE_ENGINE, engineBytes())
