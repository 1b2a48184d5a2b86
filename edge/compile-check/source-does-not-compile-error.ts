import { type CompileError, compileErrorOf } from './compile-error.ts'

/** The source of an action has a syntax error. Nothing was stored. */
export class SourceDoesNotCompileError extends Error {
  /** Field of the request. */
  readonly field: string
  readonly error: CompileError
  constructor(field: string, error: CompileError) {
    super(error.message)
    this.name = 'SourceDoesNotCompileError'
    this.field = field
    this.error = error
  }
}

/** @throws {SourceDoesNotCompileError} */
export async function requireCompilingSource(field: string, source: string): Promise<void> {
  const error = await compileErrorOf(source)
  if (error) throw new SourceDoesNotCompileError(field, error)
}
