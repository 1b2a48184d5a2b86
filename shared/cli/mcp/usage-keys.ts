/** Resolves usage keys that a model names. The model never sees the keys themselves. */
import { hasApiKeyFormat } from '../../wire/api-key.ts'
import type { UsageKeyReference } from '../../mcp/tool.ts'
import type { FolderFiles } from './folder-files.ts'
import { ToolRejectedError } from '../../mcp/tool-failure.ts'

/** A key has 44 characters, plus a newline. */
const KEY_FILE_MAX_BYTES = 64
/** Names of environment variables that a model may use. Variables with these names should contain only usage keys. */
const VARIABLE = /^SVC_USAGE_KEY(_[A-Z0-9_]+)?$/

export type UsageKeySources = {
  files: FolderFiles
  environment: Readonly<Record<string, string | undefined>>
  /** @throws {NoCredentialError} if no usage key is found */
  usual(this: void): Promise<string>
}

/**
 * @throws {ToolRejectedError | NoCredentialError} with a message that never contains the contents of the file or
 * variable
 */
export async function readReferencedUsageKey(
  { usage_key_file: file, usage_key_variable: variable }: UsageKeyReference,
  { files, environment, usual }: UsageKeySources,
): Promise<string> {
  if (file !== undefined && variable !== undefined)
    throw new ToolRejectedError(
      'bad_arguments',
      'usage_key_file and usage_key_variable are both given',
      'Send only one of them.',
    )
  if (file !== undefined) return keyIn(await files.secret(file, KEY_FILE_MAX_BYTES), 'the file')
  if (variable === undefined) return usual()
  if (!VARIABLE.test(variable))
    throw new ToolRejectedError(
      'bad_arguments',
      'usage_key_variable: only SVC_USAGE_KEY and names that start with SVC_USAGE_KEY_ are allowed',
      'Ask your user to put the key there and restart svc mcp.',
    )
  return keyIn(environment[variable] ?? '', `the variable ${variable}`)
}

/** Extracts an API key. Rejects text in any other format, because the text could be another secret of this machine. */
function keyIn(text: string, where: string): string {
  if (hasApiKeyFormat(text)) return text
  const fix = 'Ask your user to put a usage key there: svc key create creates one.'
  throw new ToolRejectedError('no_usage_key', `${where} contains no usage key`, fix)
}
