// drizzle-kit writes an object's migrations as plain JavaScript that imports the SQL files.
declare module '*/migrations.js' {
  const migrations: {
    journal: { entries: { idx: number; when: number; tag: string; breakpoints: boolean }[] }
    migrations: Record<string, string>
  }
  export default migrations
}
