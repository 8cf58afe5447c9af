import { defineConfig } from "vite";

// One file for notebooks and saved pages: a page that holds its data and runs this needs nothing else.
export default defineConfig({
  publicDir: false,
  build: {
    outDir: "../src/jumok/studio/static/notebook",
    emptyOutDir: true,
    target: "es2022",
    lib: { entry: "src/notebook.ts", formats: ["iife"], name: "jumok", fileName: () => "notebook.js" },
    reportCompressedSize: true,
    sourcemap: false,
  },
});
