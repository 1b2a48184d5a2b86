/**
 * Reads files that a model names. A prompt injection could make the model send a private key as an action's source.
 * Therefore, files must be in the folder where the server was started, and their type and size must fit the field.
 */
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { extname, isAbsolute, parse, relative, resolve, sep } from 'node:path'
import { ToolRejectedError } from './tool-failure.ts'

const SOURCES = ['.js', '.mjs', '.cjs']

export class FolderFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * @throws {ToolRejectedError} if the file is outside the folder, is hidden or in a hidden folder, or is not
   * JavaScript
   */
  async source(file: string, maxBytes: number): Promise<string> {
    const { path, below } = await this.#resolveInside(file)
    if (!SOURCES.includes(extname(path)))
      throw new ToolRejectedError(
        'no_source',
        `only ${SOURCES.join(', ')} files are accepted as source`,
        NO_WORKAROUND,
      )
    if (below.split(sep).some((part) => part.startsWith('.')))
      throw new ToolRejectedError('hidden_file', 'hidden files are not accepted', NO_WORKAROUND)
    return this.#text(path, maxBytes)
  }

  async secret(file: string, maxBytes: number): Promise<string> {
    return (await this.#text((await this.#resolveInside(file)).path, maxBytes)).trim()
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
      if (about.size > maxBytes)
        throw new ToolRejectedError(
          'too_large',
          `the file is larger than ${maxBytes} bytes`,
          'Use a smaller file.',
        )
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  }
}

const NO_WORKAROUND =
  'Do not try another way to send it. If your user wants this, they can use svc themselves.'

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
