/**
 * Reads files that a model names. A prompt injection could make the model send a private key as an action's source.
 * Therefore, files must be in the folder where the server was started, and their type and size must fit the field.
 */
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, extname, isAbsolute, parse, relative, resolve, sep } from 'node:path'
import { ActionBuildError } from '../../build/action-build-error.ts'
import { WEBHOOK_SECRET_MAX_CHARACTERS } from '../../limits.ts'
import { BUILT_TYPES, isBuilt } from '../action-source.ts'
import type { ActionSource } from '../../mcp/tool.ts'
import { ToolRejectedError } from '../../mcp/tool-failure.ts'

const SOURCES = ['.js', '.mjs', '.cjs', ...BUILT_TYPES]
/** A character has at most four bytes in UTF-8. A newline may follow the secret. */
const WEBHOOK_SECRET_FILE_MAX_BYTES = 4 * WEBHOOK_SECRET_MAX_CHARACTERS + 2

export class FolderFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Reads or builds the source of an action.
   * @throws {ToolRejectedError} if the file is outside the folder, is hidden or in a hidden folder, or is neither
   * JavaScript nor TypeScript; if it is TypeScript, also if a file that it imports is outside or hidden, or if it
   * cannot be built
   */
  async source(file: string, maxBytes: number): Promise<ActionSource> {
    const { path, below } = await this.#resolveInside(file)
    if (!SOURCES.includes(extname(path)))
      throw new ToolRejectedError(
        'no_source',
        `only ${SOURCES.join(', ')} files are accepted as source`,
        NO_WORKAROUND,
      )
    requireVisible(below)
    if (isBuilt(path)) return this.#built(path, maxBytes)
    return { code: await this.#text(path, maxBytes), warnings: [] }
  }

  /** Requires the same of all modules as of the entry, because they become part of the source. */
  async #built(entry: string, maxBytes: number): Promise<ActionSource> {
    const { buildAction } = await import('../../build/build-action.ts')
    const { code, inputs, warnings } = await buildAction(entry).catch((error: unknown) => {
      if (!(error instanceof ActionBuildError)) throw error
      throw new ToolRejectedError('build_failed', error.message, 'Correct the source.')
    })
    const folder = await realpath(this.#folder)
    for (const path of inputs) {
      const below = requireBelow(folder, path)
      // Package managers store packages in hidden folders.
      if (!below.split(sep).includes('node_modules')) requireVisible(below)
    }
    requireSize(Buffer.byteLength(code), maxBytes)
    return { code, warnings }
  }

  async secret(file: string, maxBytes: number): Promise<string> {
    return (await this.#text((await this.#resolveInside(file)).path, maxBytes)).trim()
  }

  /**
   * Reads the secret of a webhook's sender. Such secrets have no common format, so the file is recognized by its name:
   * otherwise, a prompt injection could send any file, and guess its content by signing webhooks.
   * @throws {ToolRejectedError} if the file is hidden or its name does not contain `webhook`
   */
  async webhookSecret(file: string): Promise<string> {
    const { path, below } = await this.#resolveInside(file)
    requireVisible(below)
    if (!/webhook/i.test(basename(path)))
      throw new ToolRejectedError(
        'no_webhook_secret',
        'only files whose name contains "webhook" are accepted as webhook secret',
        NO_WORKAROUND,
      )
    return (await this.#text(path, WEBHOOK_SECRET_FILE_MAX_BYTES)).trim()
  }

  /** Resolves symbolic links in a path. The error for a file outside the folder does not reveal if the file exists. */
  async #resolveInside(file: string): Promise<{ path: string; below: string }> {
    const folder = await realpath(this.#folder)
    await requireProjectFolder(folder)
    const named = resolve(folder, file)
    requireBelow(folder, named)
    const path = await realpath(named).catch(() => {
      throw new ToolRejectedError(
        'no_such_file',
        'file not found',
        'Use a path relative to the folder where svc mcp was started.',
      )
    })
    return { path, below: requireBelow(folder, path) }
  }

  async #text(path: string, maxBytes: number): Promise<string> {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const file = await open(path, flags).catch(() => {
      throw new ToolRejectedError('unreadable', 'the file cannot be read', 'Tell your user.')
    })
    try {
      const about = await file.stat()
      if (!about.isFile())
        throw new ToolRejectedError('no_such_file', 'not a regular file', NO_WORKAROUND)
      requireSize(about.size, maxBytes)
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  }
}

const NO_WORKAROUND =
  'Do not try another way to send it. If your user wants this, they can use svc themselves.'

function requireSize(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return
  const message = `the file is larger than ${maxBytes} bytes`
  throw new ToolRejectedError('too_large', message, 'Use a smaller file.')
}

function requireVisible(below: string): void {
  if (below.split(sep).some((part) => part.startsWith('.')))
    throw new ToolRejectedError('hidden_file', 'hidden files are not accepted', NO_WORKAROUND)
}

/**
 * Rejects the file system root, the home folder and the parents of the home folder, because they contain all of the
 * user's files. MCP clients other than editors start servers in such folders.
 */
async function requireProjectFolder(folder: string): Promise<void> {
  const home = await realpath(homedir()).catch(() => homedir())
  if (folder !== parse(folder).root && isOutside(relative(folder, home))) return
  throw new ToolRejectedError(
    'no_project_folder',
    'svc mcp was started in a home folder or one of its parents, where it reads no files',
    'Ask your user to start it in their project folder, or use action_code.',
  )
}

/** Requires that a path is below the folder. @returns the path relative to the folder */
function requireBelow(folder: string, path: string): string {
  const below = relative(folder, path)
  if (below !== '' && !isOutside(below)) return below
  throw new ToolRejectedError(
    'outside_the_folder',
    'only files in the folder where svc mcp was started can be read',
    NO_WORKAROUND,
  )
}

function isOutside(way: string): boolean {
  return isAbsolute(way) || way === '..' || way.startsWith(`..${sep}`)
}
