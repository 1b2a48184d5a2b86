import {
  COMPILER_OPTIONS,
  type Declarations,
  GLOBALS_FILE,
  LANGUAGE_FOLDER,
} from './declarations.ts'
import { problemsIn } from './problems.ts'
import type { Completions, Explanation, Hover, Problem } from './protocol.ts'
import ts from './typescript.ts'

/** The file name also determines the language: actions in the editor are JavaScript. */
const ACTION_FILE = '/action.js'

/** Knows the names and types that an action can use. */
export class LanguageService {
  readonly #service: ts.LanguageService
  #source = ''
  #version = 0

  constructor({ files, imports }: Declarations) {
    const read = (path: string) => (path === ACTION_FILE ? this.#source : files[path])
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => COMPILER_OPTIONS,
      getScriptFileNames: () => [GLOBALS_FILE, ACTION_FILE],
      getScriptVersion: (path) => (path === ACTION_FILE ? String(this.#version) : ''),
      getScriptSnapshot: (path) => {
        const text = read(path)
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
      },
      getCurrentDirectory: () => '/',
      getDefaultLibFileName: () => `${LANGUAGE_FOLDER}lib.es2023.d.ts`,
      fileExists: (path) => read(path) !== undefined,
      readFile: read,
      resolveModuleNameLiterals: (names, importer) =>
        names.map(({ text }) => {
          const path = imports[importer]?.[text]
          if (path === undefined) return { resolvedModule: undefined }
          const extension = path.endsWith('.d.ts') ? ts.Extension.Dts : ts.Extension.Ts
          return { resolvedModule: { resolvedFileName: path, extension } }
        }),
    })
  }

  complete(source: string, position: number): Completions | null {
    this.#load(source)
    const found = this.#service.getCompletionsAtPosition(ACTION_FILE, position, undefined)
    if (!found) return null
    const names = found.entries.flatMap(({ name, kind, sortText }) => {
      // Words of the source, which TypeScript adds if it does not know the type.
      if (kind === ts.ScriptElementKind.warning) return []
      return [isLessLikely(sortText) ? { name, isLessLikely: true as const } : { name }]
    })
    if (names.length === 0) return null
    const { optionalReplacementSpan: replaced } = found
    const from = replaced ? replaced.start : wordStart(source, position)
    return { from, names }
  }

  /** Explains a completion. */
  explain(source: string, position: number, name: string): Explanation | null {
    this.#load(source)
    const none = undefined
    const details = this.#service.getCompletionEntryDetails(
      ACTION_FILE,
      position,
      name,
      none,
      none,
      none,
      none,
    )
    return details ? explanation(details.displayParts, details.documentation) : null
  }

  hover(source: string, position: number): Hover | null {
    this.#load(source)
    const info = this.#service.getQuickInfoAtPosition(ACTION_FILE, position)
    if (!info) return null
    const { start, length } = info.textSpan
    return {
      from: start,
      to: start + length,
      ...explanation(info.displayParts, info.documentation),
    }
  }

  /** @returns in the order of the source */
  check(source: string): Problem[] {
    this.#load(source)
    const program = this.#service.getProgram()!
    const syntax = this.#service.getSyntacticDiagnostics(ACTION_FILE)
    const semantics = this.#service.getSemanticDiagnostics(ACTION_FILE)
    const file = program.getSourceFile(ACTION_FILE)!
    return problemsIn(file, program.getTypeChecker(), [...syntax, ...semantics])
  }

  #load(source: string): void {
    if (source === this.#source) return
    this.#source = source
    this.#version++
  }
}

/** True for globals and keywords, which TypeScript sorts behind local variables and members. */
const isLessLikely = (sortText: string) => sortText >= '15'

function wordStart(source: string, position: number): number {
  let start = position
  while (start > 0 && ts.isIdentifierPart(source.charCodeAt(start - 1), ts.ScriptTarget.ES2023))
    start--
  return start
}

function explanation(
  declaration: readonly ts.SymbolDisplayPart[] = [],
  documentation: readonly ts.SymbolDisplayPart[] = [],
): Explanation {
  return {
    declaration: ts.displayPartsToString([...declaration]),
    documentation: ts.displayPartsToString([...documentation]),
  }
}
