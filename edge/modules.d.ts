/** Wrangler imports `.txt` and `.md` files as text. */
declare module '*.txt' {
  const text: string
  export default text
}
declare module '*.md' {
  const text: string
  export default text
}

/** Wrangler compiles WebAssembly modules when the Worker is deployed. */
declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}

// drizzle-kit writes the migrations of a Durable Object as plain JavaScript that imports the SQL files.
declare module '*/migrations.js' {
  const migrations: {
    journal: { entries: { idx: number; when: number; tag: string; breakpoints: boolean }[] }
    migrations: Record<string, string>
  }
  export default migrations
}
