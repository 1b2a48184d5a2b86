/** Provides the examples that triggers run as the module `svc:examples` of page scripts. */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Plugin } from 'esbuild'
import { buildAction } from '../../shared/build/build-action.ts'
import { EXAMPLES } from '../../shared/cli/project/examples.ts'
import type { TriggerKind } from '../../shared/wire/trigger.ts'
import type { BuiltExample } from './examples/built-example.ts'

const MODULE = 'svc:examples'
const NAMESPACE = 'built-examples'

/** Names of a metafile's inputs that are not files. */
export const isBuiltExamples = (input: string) => input.startsWith(`${NAMESPACE}:`)

/** @returns the plugin, and the list to which it adds the files that it reads, relative to the root */
export function builtExamples(root: string): { plugin: Plugin; inputs: string[] } {
  const inputs: string[] = []
  const setup: Plugin['setup'] = (esbuild) => {
    esbuild.onResolve({ filter: new RegExp(`^${MODULE}$`) }, () => ({
      path: MODULE,
      namespace: NAMESPACE,
    }))
    esbuild.onLoad({ filter: /./, namespace: NAMESPACE }, async () => {
      const built: BuiltExample[] = []
      for (const [name, description] of Object.entries(EXAMPLES)) {
        const folder = join(root, 'examples', name)
        const found = triggerOf(folder)
        inputs.push(relative(root, join(folder, 'svc.json')))
        if (!found) continue
        const { code, inputs: sources } = await buildAction(join(folder, found.file))
        inputs.push(...sources.map((path) => relative(root, path)))
        built.push({
          name,
          description,
          kind: found.kind,
          code: code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'),
          defaultParams: found.defaultParams,
        })
      }
      return { contents: JSON.stringify(built), loader: 'json' }
    })
  }
  return { plugin: { name: 'Examples', setup }, inputs }
}

type SvcJson = {
  actions: Record<string, string>
  triggers?: Record<string, { kind: TriggerKind; action: string; default_params?: object }>
}

/** Returns the trigger of an example, if it has one. */
function triggerOf(folder: string) {
  const { actions, triggers = {} } = JSON.parse(
    readFileSync(join(folder, 'svc.json'), 'utf8'),
  ) as SvcJson
  const [trigger] = Object.values(triggers)
  if (!trigger) return undefined
  const defaultParams = JSON.stringify(trigger.default_params ?? {}, null, 2)
  return {
    kind: trigger.kind,
    file: actions[trigger.action]!,
    defaultParams: defaultParams.replace(/\$\{wallet:([^}]+)\}/g, 'the address of the wallet $1'),
  }
}
