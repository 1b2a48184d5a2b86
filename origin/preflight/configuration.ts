/** Reads the environment variables of an origin from the files of its deployment. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { parseStrictYaml } from '../../shared/attestation/strict-yaml/parse.ts'
import type { YamlMapping, YamlNode } from '../../shared/attestation/strict-yaml/value.ts'
import { type Check, fault, ok } from '../../shared/preflight/checks.ts'

export type Configuration = {
  environment: Record<string, string | undefined>
  /** Variables that the compose file takes from the encrypted environment, and no file contains. */
  withheld: ReadonlySet<string>
  /** True if the settings are for another machine, whose files and guest agent are not available here. */
  isRemote: boolean
  checks: Check[]
}

export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError'
}

/**
 * @param composeFile output of `npm run app-compose`. Without it, the variables file or this process has all settings
 * @param varsFile file with a variable per line, such as `secrets.env`
 */
export function readConfiguration(
  { composeFile, varsFile }: { composeFile?: string | undefined; varsFile?: string | undefined },
  own: Record<string, string | undefined>,
): Configuration {
  const vars = varsFile === undefined ? undefined : parseEnv(read(varsFile))
  if (composeFile === undefined)
    return { environment: vars ?? own, withheld: new Set(), isRemote: false, checks: [] }
  const appCompose = read(composeFile)
  const compose = parseCompose(composeFile, appCompose)
  const measured = environmentOf(compose, 'origin')
  const taken = [...measured].filter(([, value]) => value === undefined).map(([name]) => name)
  const environment = Object.fromEntries(
    [...measured].map(([name, value]) => [name, value ?? vars?.[name]]),
  )
  return {
    environment,
    withheld: new Set(vars ? [] : taken),
    isRemote: true,
    checks: [composeCheck(appCompose, compose), ...unusedChecks(vars ?? {}, taken)],
  }
}

const appComposeSchema = z.object({ docker_compose_file: z.string() })

type Compose = { text: string; root: YamlMapping }

function parseCompose(file: string, appCompose: string): Compose {
  try {
    const text = appComposeSchema.parse(JSON.parse(appCompose)).docker_compose_file
    return { text, root: parseStrictYaml(text) }
  } catch {
    throw new UnreadableFileError(`${file} is not the output of npm run app-compose`)
  }
}

function composeCheck(appCompose: string, { text }: Compose): Check {
  const name = 'compose file'
  if (text.replace(/^\s*#.*$/gm, '').includes('fill-in.invalid'))
    return fault(name, 'contains the placeholder fill-in.invalid')
  return ok(name, `compose hash ${hash('sha256', appCompose)}`)
}

/** A variable that the compose file does not take has no effect, for example because its name is misspelled. */
function unusedChecks(vars: object, taken: readonly string[]): Check[] {
  return Object.keys(vars)
    .filter((name) => !taken.includes(name))
    .map((name) => fault(name, 'not a variable that the compose file takes from the environment'))
}

/** Returns the variables of a service. A variable without a value is undefined. */
function environmentOf({ root }: Compose, service: string): Map<string, string | undefined> {
  const list = memberOf(memberOf(memberOf(root, 'services'), service), 'environment')
  const lines = list?.kind === 'list' ? list.items : []
  return new Map(
    lines.flatMap((item) => {
      if (item.kind !== 'word') return []
      const at = item.text.indexOf('=')
      return [
        at === -1 ? [item.text, undefined] : [item.text.slice(0, at), item.text.slice(at + 1)],
      ]
    }),
  )
}

function memberOf(node: YamlNode | undefined, key: string): YamlNode | undefined {
  if (node?.kind !== 'mapping') return undefined
  return node.entries.find((entry) => entry.key === key)?.value
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new UnreadableFileError(`${file} cannot be read (${code})`)
  }
}
