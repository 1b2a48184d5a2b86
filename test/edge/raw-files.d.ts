/** The text of a file, as loaded by Vite. */
declare module '*?raw' {
  const text: string
  export default text
}
