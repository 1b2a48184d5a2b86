import { dirname, join, relative } from 'node:path'
import {
  COMPILER_OPTIONS,
  GLOBALS_FILE,
  LANGUAGE_FOLDER,
  type Declarations,
} from './language/declarations.ts'
import ts from './language/typescript.ts'

export type DeclarationFiles = Pick<Declarations, 'imports'> & {
  /** Paths of the files by virtual path. */
  paths: Readonly<Record<string, string>>
}

/**
 * Finds the declarations of the globals of actions, and all files that they use. TypeScript resolves the imports here, so
 * that the language service needs neither folders nor package.json files.
 * @param root repository root
 */
export function collectDeclarations(root: string): DeclarationFiles {
  const libraries = dirname(ts.getDefaultLibFilePath(COMPILER_OPTIONS))
  const virtualPath = (path: string) =>
    path.startsWith(`${libraries}/`)
      ? LANGUAGE_FOLDER + relative(libraries, path)
      : `/${relative(root, path)}`
  const imports: Record<string, Record<string, string>> = {}
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost(COMPILER_OPTIONS),
    resolveModuleNameLiterals: (names, importer, _redirect, options) =>
      names.map(({ text }) => {
        const found = ts.resolveModuleName(text, importer, options, ts.sys)
        const path = found.resolvedModule?.resolvedFileName
        if (path === undefined) throw new Error(`${importer}: cannot find the module ${text}`)
        ;(imports[virtualPath(importer)] ??= {})[text] = virtualPath(path)
        return found
      }),
  }
  const program = ts.createProgram({
    rootNames: [join(root, GLOBALS_FILE)],
    options: COMPILER_OPTIONS,
    host,
  })
  const paths = program.getSourceFiles().map(({ fileName }) => [virtualPath(fileName), fileName])
  return { imports, paths: Object.fromEntries(paths) }
}
