/** Usage keys that a model can name but never sees. */
import { isApiKeyShape } from '../../api-key.ts'
import type { FolderFiles } from './folder-files.ts'
import { ToolRefused } from './tool-failure.ts'

/** A key has 44 characters, plus a newline. */
const KEY_FILE_MAX_BYTES = 64
/** Limits the model to environment variables meant for this purpose. */
const VARIABLE = /^SVC_USAGE_KEY(_[A-Z0-9_]+)?$/

export type NamedKey = {
  usage_key_file?: string | undefined
  usage_key_variable?: string | undefined
}

export type UsageKeySources = {
  files: FolderFiles
  environment: Readonly<Record<string, string | undefined>>
  /** Returns the key that `svc` uses by default. @throws {NoCredential} */
  usual(this: void): Promise<string>
}

/** @throws {ToolRefused | NoCredential} whose message never contains the contents of the file or variable */
export async function usageKeyNamed(
  { usage_key_file: file, usage_key_variable: variable }: NamedKey,
  { files, environment, usual }: UsageKeySources,
): Promise<string> {
  if (file !== undefined && variable !== undefined)
    throw new ToolRefused('bad_arguments', 'two keys are named', 'Name one of them.')
  if (file !== undefined) return keyIn(await files.secret(file, KEY_FILE_MAX_BYTES), 'the file')
  if (variable === undefined) return usual()
  if (!VARIABLE.test(variable))
    throw new ToolRefused(
      'bad_arguments',
      'usage_key_variable: only SVC_USAGE_KEY and names that begin with SVC_USAGE_KEY_ are looked at',
      'Ask your user to put the key there, and to start svc mcp again.',
    )
  return keyIn(environment[variable] ?? '', `the variable ${variable}`)
}

/** Rejects text that is not shaped like a key: it could be any other secret of this machine. */
function keyIn(text: string, where: string): string {
  if (isApiKeyShape(text)) return text
  const fix = 'Ask your user to put a usage key there: svc key create makes one.'
  throw new ToolRefused('no_usage_key', `${where} has no usage key in it`, fix)
}
