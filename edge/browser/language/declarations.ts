/** Declarations of everything that actions can use, for the language service. Embedded in its script by the build. */
import ts from './typescript.ts'

export type Declarations = {
  /** Texts of the files by virtual path. */
  files: Readonly<Record<string, string>>
  /** For each file, the virtual paths of the modules that it imports. */
  imports: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Folder of the declarations of the language itself. */
export const LANGUAGE_FOLDER = '/lib/'

export const GLOBALS_FILE = '/shared/action/globals.d.ts'

export const COMPILER_OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  // Otherwise, TypeScript would look for packages that replace its own declarations.
  libReplacement: false,
  types: [],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  allowJs: true,
  checkJs: true,
  skipLibCheck: true,
  noEmit: true,
  // JavaScript without annotations: `strict` would report every parameter.
  strict: false,
}
