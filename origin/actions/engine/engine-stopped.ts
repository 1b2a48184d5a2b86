/**
 * Stops a run inside a native loop of the engine, where the interrupt handler is not polled. The exception unwinds the
 * engine's WebAssembly frames.
 */
export class EngineStoppedError extends Error {
  constructor() {
    super('the run was stopped inside the engine')
    this.name = 'EngineStoppedError'
  }
}
