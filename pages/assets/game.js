// The page of an annotated game.
new HeraldReplay(document.getElementById("game")).show(JSON.parse(document.getElementById("game-data").textContent));
