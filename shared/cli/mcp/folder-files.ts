/**
 * Files that a model may name. A prompt injection could ask the model to send a private key as an action's source. Only
 * files in the folder where the server was started are read, and only kinds and sizes that fit the field.
 */
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { extname, isAbsolute, parse, relative, resolve, sep } from 'node:path'
import { ToolRefused } from './tool-failure.ts'

/** Extensions of action sources. */
const SOURCES = ['.js', '.mjs', '.cjs']

export class FolderFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** @throws {ToolRefused} for a file outside the folder, a hidden file or folder, and a file that is not JavaScript */
  async source(file: string, maxBytes: number): Promise<string> {
    const { path, below } = await this.#inside(file)
    if (!SOURCES.includes(extname(path)))
      throw new ToolRefused(
        'no_source',
        `only ${SOURCES.join(', ')} files are sent as source`,
        ELSEWHERE,
      )
    if (below.split(sep).some((part) => part.startsWith('.')))
      throw new ToolRefused('hidden_file', 'hidden files are not sent', ELSEWHERE)
    return this.#text(path, maxBytes)
  }

  /** @throws {ToolRefused} for a file outside the folder */
  async secret(file: string, maxBytes: number): Promise<string> {
    return (await this.#text((await this.#inside(file)).path, maxBytes)).trim()
  }

  /** Resolves links. A missing file outside the folder gets the same error as an existing one. */
  async #inside(file: string): Promise<{ path: string; below: string }> {
    const folder = await realpath(this.#folder)
    await requireProject(folder)
    const named = resolve(folder, file)
    requireBelow(folder, named)
    const path = await realpath(named).catch(() => {
      throw new ToolRefused(
        'no_such_file',
        'there is no such file',
        'Name it from the folder where svc mcp was started.',
      )
    })
    return { path, below: requireBelow(folder, path) }
  }

  async #text(path: string, maxBytes: number): Promise<string> {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const file = await open(path, flags).catch(() => {
      throw new ToolRefused('unreadable', 'the file cannot be read', 'Tell your user.')
    })
    try {
      const about = await file.stat()
      if (!about.isFile()) throw new ToolRefused('no_such_file', 'this is no file', ELSEWHERE)
      if (about.size > maxBytes)
        throw new ToolRefused(
          'too_large',
          `the file has more than ${maxBytes} bytes`,
          'Name a smaller one.',
        )
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  }
}

const ELSEWHERE =
  'Do not look for another way to send it. If your user wants it, he does it with svc himself.'

/**
 * Rejects the file system root and the home folder or its parents, which contain all of the user's files. Clients other
 * than editors start servers there.
 */
async function requireProject(folder: string): Promise<void> {
  const home = await realpath(homedir()).catch(() => homedir())
  if (folder !== parse(folder).root && leadsOut(relative(folder, home))) return
  throw new ToolRefused(
    'no_project_folder',
    'svc mcp was started in a home folder, or above it, and reads no file there',
    'Ask your user to have it started in the folder of his project; or give action_code.',
  )
}

/** @returns the path relative to the folder */
function requireBelow(folder: string, path: string): string {
  const below = relative(folder, path)
  if (below !== '' && !leadsOut(below)) return below
  throw new ToolRefused(
    'outside_the_folder',
    'only files in the folder where svc mcp was started are read',
    ELSEWHERE,
  )
}

function leadsOut(way: string): boolean {
  return isAbsolute(way) || way === '..' || way.startsWith(`..${sep}`)
}
