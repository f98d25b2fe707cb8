def test_album_link(launch_services):
    photos = launch_services.install("com.example.photos", schemes=["photos"])
    launch_services.install("com.example.maps", schemes=["maps"], queries=["photos"])
    receipt = launch_services.open("photos:album/7")
    assert (receipt.launch, receipt.delivery, receipt.handled) == ("cold", "delivered", True)
    assert launch_services.open("photos:album/8").launch == "warm"
    assert photos.urls == ["photos:album/7", "photos:album/8"]
    assert launch_services.can_open("photos:", as_="com.example.maps")
    assert not launch_services.can_open("maps:", as_="com.example.photos")
